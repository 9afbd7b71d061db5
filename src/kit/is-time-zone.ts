/** Whether a name is a time zone of the IANA database, such as `Europe/Berlin`, in any case. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are rejected: they do not follow daylight saving time.
  if (!/^[a-z]/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    // Throws for an unknown time zone.
    return false
  }
}
