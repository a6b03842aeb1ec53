/** How often the service is asked again while its database does not answer. */
export const DATABASE_RETRY_MS = 3000
