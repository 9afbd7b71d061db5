/** Why a WebSocket client is disconnected, and the code that its connection is closed with. */
export class FrameError extends Error {
  readonly closeCode: number

  constructor(closeCode: number, message: string) {
    super(message)
    this.closeCode = closeCode
  }
}
