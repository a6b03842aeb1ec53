// The account codex works with: whose it is, and how somebody logs in without a shell on that machine.

/** By a code that is typed in on a page of OpenAI's, or with a key. */
export type LoginRequest =
  | { readonly type: 'chatgptDeviceCode' }
  | { readonly type: 'apiKey'; readonly apiKey: string }

/** How far a login is. The last one is remembered until another begins, somebody logs out, or the service ends. */
export type AccountLogin =
  | { readonly status: 'none' }
  | PendingLogin
  | { readonly status: 'succeeded'; readonly endedAt: number }
  | { readonly status: 'failed'; readonly message: string; readonly endedAt: number }

interface PendingLogin {
  readonly status: 'pending'
  readonly loginId: string
  /** Where the code is typed in. */
  readonly verificationUrl: string
  readonly userCode: string
  readonly startedAt: number
  /** codex gives up then. */
  readonly expiresAt: number
}

export interface AccountService {
  /** As codex tells it, with the limits where there are any. */
  read(): Promise<unknown>
  login(): AccountLogin
  /**
   * A code while one is pending gives that one. A key is codex's alone: we neither keep nor repeat it, and nobody has
   * tried it yet when this resolves. `not-supported` where this codex or its settings refuse such a login.
   */
  startLogin(request: LoginRequest): Promise<AccountLogin>
  /** null when no such login is pending. */
  cancelLogin(loginId: string): Promise<AccountLogin | null>
  logout(): Promise<void>
}
