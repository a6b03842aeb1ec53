export function installCodex(version: string, options?: { timeoutMs?: number }): Promise<string>
export function installedVersions(): string[]
export function removeCodex(version?: string): void
