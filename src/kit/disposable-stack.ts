/**
 * `DisposableStack` and `AsyncDisposableStack` for Node 22, which lacks them. Resources are
 * released in reverse order. All releases run even if some throw; several errors are thrown as one
 * `AggregateError`.
 */
class Stack<Release extends () => unknown> {
  protected releases: Release[] = []
  #isDisposed = false

  get disposed(): boolean {
    return this.#isDisposed
  }

  /** Runs `release` when the stack is disposed. */
  defer(release: Release): void {
    if (this.#isDisposed) throw new ReferenceError('The stack is already disposed')
    this.releases.push(release)
  }

  /**
   * Marks the stack as disposed without releasing anything, and returns the releases in reverse
   * order.
   */
  protected take(): Release[] {
    this.#isDisposed = true
    return this.releases.splice(0).toReversed()
  }
}

function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, 'Several resources could not be released')
}

/** Releases resources synchronously, in reverse order. */
export class DisposableStack extends Stack<() => void> implements Disposable {
  /** Releases `resource` with the stack, and returns it. */
  use<Resource extends Disposable>(resource: Resource): Resource {
    this.defer(() => resource[Symbol.dispose]())
    return resource
  }

  /** Moves everything to a new stack. Disposing of this one then has no effect. */
  move(): DisposableStack {
    const moved = new DisposableStack()
    for (const release of this.take().toReversed()) moved.defer(release)
    return moved
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  dispose(): void {
    const errors: unknown[] = []
    for (const release of this.take()) {
      try {
        release()
      } catch (error) {
        errors.push(error)
      }
    }
    throwAll(errors)
  }
}

/** Releases resources one after another, in reverse order. */
export class AsyncDisposableStack extends Stack<() => unknown> implements AsyncDisposable {
  /** Releases `resource` with the stack, and returns it. */
  use<Resource extends AsyncDisposable | Disposable>(resource: Resource): Resource {
    this.defer(() => (Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose]()))
    return resource
  }

  /** Moves everything to a new stack. Disposing of this one then has no effect. */
  move(): AsyncDisposableStack {
    const moved = new AsyncDisposableStack()
    for (const release of this.take().toReversed()) moved.defer(release)
    return moved
  }

  async disposeAsync(): Promise<void> {
    const errors: unknown[] = []
    for (const release of this.take()) {
      try {
        await release()
      } catch (error) {
        errors.push(error)
      }
    }
    throwAll(errors)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync()
  }
}
