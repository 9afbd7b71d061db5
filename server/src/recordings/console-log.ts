import type { ConsoleLine } from '../cdp/console-line.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { readConsoleLine } from '../cdp/read-console-line.ts'
import type { AttachedTarget } from '../cdp/targets.ts'
import type { TextMask } from './network-log.ts'
import type { TempFile } from './temp-file.ts'

const maxTextLength = 20_000

/** Writes console messages, exceptions and browser messages to a file as JSON lines. */
export class ConsoleLog {
  readonly #file: TempFile
  readonly #mask: TextMask

  constructor(file: TempFile, mask: TextMask) {
    this.#file = file
    this.#mask = mask
  }

  /** Enables console events of a target. */
  async watch(target: AttachedTarget): Promise<void> {
    const entries = target.type === 'page' ? target.call('Log.enable') : undefined
    await Promise.all([target.call('Runtime.enable'), entries])
  }

  /** Handles a CDP event of a target. */
  receive(event: CdpEvent): void {
    const line = readConsoleLine(event)
    if (line !== undefined) this.#write(line)
  }

  async finish(): Promise<void> {
    await this.#file.close()
  }

  #write(line: ConsoleLine): void {
    // Cut before it is masked: pages write texts of any length. Values at the end are masked in part.
    const cut = { ...line, text: line.text.slice(0, maxTextLength) }
    this.#file.append(Buffer.from(`${JSON.stringify(this.#mask.applyToJson(cut))}\n`))
  }
}
