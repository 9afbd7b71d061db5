import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse, ExecuteResponse } from '../../../src/contract.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let session: CreateSessionResponse
beforeAll(async () => {
  lab = fixture.use(await startLab())
  session = await lab.createSession()
})
afterAll(async () => fixture.disposeAsync())

const run = async (code: string, language: string): Promise<ExecuteResponse> =>
  (await lab.api('POST', `/v2/browser/${session.id}/execute`, { code, language })).body as ExecuteResponse

const call = (number: string, ...args: readonly string[]): string => `
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
result = libc.syscall(${[number, ...args].join(', ')})
(result, errno.errorcode.get(ctypes.get_errno()))`

describe('memory that no process maps is refused:', () => {
  test.each([
    [
      'pages in pipes',
      `import ctypes, mmap, os
class Pages(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
libc = ctypes.CDLL(None, use_errno=True)
pages = Pages(ctypes.addressof(ctypes.c_char.from_buffer(mmap.mmap(-1, 4096))), 4096)
(libc.vmsplice(os.pipe()[1], ctypes.byref(pages), 1, 0), os.strerror(ctypes.get_errno()))`,
    ],
    [
      'memfd_create',
      `import os\ntry: os.memfd_create('x')\nexcept OSError as error: refused = error.strerror\nrefused`,
    ],
    [
      'System V shared memory',
      call('29 if __import__("os").uname().machine == "x86_64" else 194', '0', '4096', '0o1600'),
    ],
    [
      'memory of a namespace of its own',
      call('272 if __import__("os").uname().machine == "x86_64" else 97', '0x10000000'),
    ],
  ])('%s', async (_, code) => {
    const { result, stderr } = await run(code, 'python')

    expect(stderr).toBe('')
    expect(result).toMatch(/Operation not permitted|EPERM|Invalid argument/)
  })

  test('a file system of its own', async () => {
    const { stdout } = await run('unshare -Ur mount -t tmpfs x /tmp 2>&1; mount -t tmpfs x /tmp 2>&1', 'bash')

    expect(stdout).toMatch(/Operation not permitted.*\n.*(?:permission denied|must be superuser)/)
  })
})

test('memory of page tables counts', async () => {
  const { killed, error } = await run(
    `import ctypes, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
address = libc.mmap(None, ctypes.c_size_t(1 << 43), 1, 0x4022, -1, ctypes.c_long(0))
# Reading untouched memory takes no page, but a page table.
for offset in range(0, 1 << 43, 1 << 21): ctypes.c_char.from_address(address + offset).value
time.sleep(20)`,
    'python',
  )

  expect(killed).toBe(true)
  expect(error).toContain('512 MB of memory')
})

test('data that waits in connections counts as memory', async () => {
  const { killed, error } = await run(
    `import socket, time
held = b'1' * 400_000_000
listener = socket.create_server(('127.0.0.1', 0), backlog=200)
sent = 0
kept = []
while sent < 150_000_000 and len(kept) < 400:
    client = socket.create_connection(listener.getsockname())
    kept += [client, listener.accept()[0]]
    client.setblocking(False)
    try:
        while True: sent += client.send(b'x' * 1_000_000)
    except BlockingIOError: pass
kept += [open('/dev/null') for _ in range(64)]
time.sleep(20)`,
    'python',
  )

  expect(killed).toBe(true)
  expect(error).toContain('512 MB of memory')
})

test('sockets keep the buffer sizes of the machine, without an error', async () => {
  const { result } = await run(
    `import socket
sizes = lambda: [kept.getsockopt(socket.SOL_SOCKET, option) for option in (socket.SO_SNDBUF, socket.SO_RCVBUF)]
kept = socket.socketpair()[0]
before = sizes()
kept.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10_000)
kept.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 10_000)
kept.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
[sizes() == before, kept.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)]`,
    'python',
  )

  expect(result).toBe('[true, 1]')
})

test('programs copy files without calls that are refused', async () => {
  const copies = await run(
    `cp /bin/sh /tmp/copy && cat /tmp/copy >/tmp/cat && python3 -c 'import shutil; shutil.copyfile("/tmp/cat", "/tmp/python")' &&
cmp /bin/sh /tmp/python && echo same`,
    'bash',
  )
  const copied = await run(
    `const fs = require('node:fs'); fs.copyFileSync('/bin/sh', '/tmp/node'); fs.readFileSync('/tmp/node').equals(fs.readFileSync('/bin/sh'))`,
    'node',
  )

  expect([copies.result, copied.result]).toEqual(['same\n', 'true'])
})

describe('the files of a session are limited:', () => {
  test('their total size, also of files that are deleted and still open', async () => {
    const fill = 'head -c 200000000 /dev/zero'
    const { stdout } = await run(`exec 6>/tmp/a; ${fill} >&6; rm /tmp/a; exec 7>~/b; ${fill} 2>&1 >&7`, 'bash')
    const after = await run(`exec 6>&- 7>&-; rm ~/b; ${fill} >/tmp/again && echo written; rm /tmp/again`, 'bash')

    expect(stdout).toContain('No space left on device')
    expect(after.stdout).toBe('written\n')
  })

  test('their number', async () => {
    const { result } = await run(
      `const { writeFileSync, rmSync, mkdirSync } = require('node:fs')
      mkdirSync('/tmp/many')
      let count = 0
      let reason
      try { for (; count < 30_000; count += 1) writeFileSync('/tmp/many/' + count, '') } catch ({ code }) { reason = code }
      rmSync('/tmp/many', { recursive: true })
      ;[count < 20_000, reason]`,
      'node',
    )

    expect(JSON.parse(result)).toEqual([true, 'ENOSPC'])
  })

  test('the languages of a session share them, and they outlive an interpreter', async () => {
    await run('echo kept > ~/note; echo kept > /tmp/note; exit 3', 'bash')
    const { result } = await run(
      `['/session/note', '/tmp/note'].map((path) => require('node:fs').readFileSync(path, 'utf8')).join('')`,
      'node',
    )

    expect(result).toBe('kept\nkept\n')
  })
})

test('open files and connections of all processes together are limited', async () => {
  const { killed, error } = await run(
    `import subprocess, time, os
pids = [os.fork() for _ in range(3)]
kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(900)]
time.sleep(20)`,
    'python',
  )

  expect(killed).toBe(true)
  expect(error).toContain('more than 2048 open files and connections')
})

test('an operator can turn code off, also that which continues a scrape', async () => {
  await using off = await startLab({ execution: 'off' })
  const { id } = await off.createSession()

  const executed = await off.api('POST', `/v2/browser/${id}/execute`, { code: '1' })
  const continued = await off.api('POST', `/v2/scrape/${crypto.randomUUID()}/interact`, { code: '1' })

  expect([executed, continued]).toEqual(
    Array(2).fill(
      expect.objectContaining({
        status: 501,
        body: expect.objectContaining({
          code: 'EXECUTION_UNAVAILABLE',
          hint: 'The operator of the server has set `--execution off`.',
        }),
      }),
    ),
  )
})
