import type { CdpRouter } from './router.ts'

/** Pauses reading from a browser while any of its clients lags. */
export class ReadPauser {
  readonly #router: CdpRouter
  readonly #lagging = new Set<object>()

  constructor(router: CdpRouter) {
    this.#router = router
  }

  setLag(client: object, isLagging: boolean): void {
    if (isLagging) this.#lagging.add(client)
    else this.#lagging.delete(client)
    if (this.#lagging.size > 0) this.#router.pause()
    else this.#router.resume()
  }
}
