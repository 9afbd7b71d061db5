/**
 * Counts things without an owner. A thing counts once it has had none in two checks in a row,
 * because it may be about to get its owner, or be about to be removed.
 */
export class LeakCheck {
  #before: ReadonlySet<string> = new Set()

  /** Returns the number of leaks, given the ids of all things that have no owner now. */
  count(ids: readonly string[]): number {
    const leaked = ids.filter((id) => this.#before.has(id)).length
    this.#before = new Set(ids)
    return leaked
  }
}
