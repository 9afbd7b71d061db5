/** Whether a body reports a failure: of the request, or of the session or job whose state it is. */
export function isFailureBody(body: unknown): body is { readonly success: false } {
  return typeof body === 'object' && body !== null && 'success' in body && body.success === false
}

/**
 * Whether a body reports a failed request. The state of a failed job also has `success: false`, but
 * is a valid response.
 */
export function isRefusal(body: unknown): body is { readonly success: false } {
  return isFailureBody(body) && !('status' in body)
}
