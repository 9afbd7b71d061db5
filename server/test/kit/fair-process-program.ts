// Program of the processes in the tests of `FairProcess`.
interface Job {
  readonly what: 'echo' | 'hang' | 'crash' | 'exhaust'
  readonly text?: string
}

process.on('message', ({ what, text }: Job) => {
  switch (what) {
    case 'echo':
      process.send?.(`${process.pid} ${text}`)
      return
    case 'hang':
      for (;;);
    case 'crash':
      process.abort()
    case 'exhaust':
      // One operation that exceeds the heap. In a thread, V8 would end the whole process.
      process.send?.(Array.from({ length: 40_000_000 }, (_, index) => `${index}`).length)
  }
})
process.send?.('started')
