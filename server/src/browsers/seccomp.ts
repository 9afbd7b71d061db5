/** Opcodes and offsets of classic BPF, as in `linux/filter.h` and `linux/seccomp.h`. */
const [load, jumpIfEqual, jumpIfAtLeast, jumpIfAnyBit, returnOp] = [0x20, 0x15, 0x35, 0x45, 0x06]
const [numberOffset, architectureOffset, firstArgument, secondArgument, thirdArgument] = [0, 4, 16, 24, 32]
const allow = 0x7fff_0000

/** Instructions: an opcode, the instructions to skip if true and if false, and an operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

const refuseWith = (errno: number): Instruction => [returnOp, 0, 0, 0x0005_0000 + errno]
const [notPermitted, invalidArgument, notImplemented, familyNotSupported] = [1, 22, 38, 97].map(refuseWith) as [
  Instruction,
  Instruction,
  Instruction,
  Instruction,
]

/** Numbers of the same system calls on the architectures that have filters. */
interface Architecture {
  readonly audit: number
  readonly socket: number
  readonly clone: number
  readonly setsockopt: number
  /**
   * Refused to code: memory that no process maps, namespaces, mounts, other processes, keys, the
   * log of the kernel.
   */
  readonly refused: readonly number[]
  /** Calls that move pages into pipes and sockets, where no limit counts them. */
  readonly splicing: readonly number[]
}

/**
 * Calls with the same number on all architectures: new mount calls, io_uring, pidfd_getfd,
 * memfd_secret.
 */
const refusedEverywhere = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 447]
const clone3 = 435

const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    clone: 56,
    setsockopt: 54,
    refused: [
      // memfd_create, shmget, shmat, semget, msgget
      319, 29, 30, 64, 68,
      // unshare, setns, mount, umount2, pivot_root
      272, 308, 165, 166, 155,
      // ptrace, process_vm_readv, process_vm_writev
      101, 310, 311,
      // add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, syslog
      248, 249, 250, 298, 321, 323, 103,
    ],
    // sendfile, splice, tee, vmsplice
    splicing: [40, 275, 276, 278],
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    clone: 220,
    setsockopt: 208,
    refused: [279, 194, 196, 190, 186, 97, 268, 40, 39, 41, 117, 270, 271, 217, 218, 219, 241, 280, 282, 116],
    splicing: [71, 76, 77, 75],
  },
}

/**
 * A seccomp program that refuses netlink sockets. Chromium then cannot list network interfaces, and
 * `navigator.onLine` stays true without any. Undefined on architectures whose system call numbers
 * are not listed here.
 */
export function offlineFilter(): Buffer | undefined {
  const architecture = architectures[process.arch]
  if (architecture === undefined) return undefined
  return assemble([
    [load, 0, 0, architectureOffset],
    [jumpIfEqual, 1, 0, architecture.audit],
    [returnOp, 0, 0, allow],
    [load, 0, 0, numberOffset],
    ...refuseNetlink(architecture),
    [returnOp, 0, 0, allow],
  ])
}

/**
 * A seccomp program for code of users. It refuses memory that the limits cannot see (memfd, System
 * V shared memory, pages in pipes), namespaces, mounts, all sockets but Unix and IP ones, and
 * programs of other architectures. Undefined where `offlineFilter` is.
 */
export function codeFilter(): Buffer | undefined {
  const architecture = architectures[process.arch]
  if (architecture === undefined) return undefined
  const cloneNamespaces = 0x7e02_0000
  return assemble([
    [load, 0, 0, architectureOffset],
    [jumpIfEqual, 1, 0, architecture.audit],
    notPermitted,
    [load, 0, 0, numberOffset],
    // The x32 calls of x64, which have other numbers.
    [jumpIfAtLeast, 0, 1, 0x4000_0000],
    notPermitted,
    // Its flags are in memory. The C libraries then call clone.
    ...refuse(clone3, notImplemented),
    ...[...architecture.refused, ...refusedEverywhere].flatMap((number) => refuse(number, notPermitted)),
    // Programs then copy.
    ...architecture.splicing.flatMap((number) => refuse(number, invalidArgument)),
    ...ignoreBufferSizes(architecture),
    [jumpIfEqual, 0, 4, architecture.clone],
    [load, 0, 0, firstArgument],
    [jumpIfAnyBit, 0, 1, cloneNamespaces],
    notPermitted,
    [returnOp, 0, 0, allow],
    ...allowFamilies(architecture),
    [returnOp, 0, 0, allow],
  ])
}

function refuse(number: number, answer: Instruction): readonly Instruction[] {
  return [[jumpIfEqual, 0, 1, number], answer]
}

/** Expects that the number of the system call is loaded, and leaves another value. */
function refuseNetlink({ socket }: Architecture): readonly Instruction[] {
  const netlink = 16
  return [[jumpIfEqual, 0, 3, socket], [load, 0, 0, firstArgument], [jumpIfEqual, 0, 1, netlink], familyNotSupported]
}

/**
 * Lets programs set the buffer sizes of sockets without effect. The kernel also lowers them to its
 * limits without an error, but those are megabytes per socket on some machines.
 */
function ignoreBufferSizes({ setsockopt }: Architecture): readonly Instruction[] {
  const [socketLevel, sendBuffer, receiveBuffer] = [1, 7, 8]
  return [
    [jumpIfEqual, 0, 7, setsockopt],
    [load, 0, 0, secondArgument],
    [jumpIfEqual, 0, 4, socketLevel],
    [load, 0, 0, thirdArgument],
    [jumpIfEqual, 1, 0, sendBuffer],
    [jumpIfEqual, 0, 1, receiveBuffer],
    refuseWith(0),
    [returnOp, 0, 0, allow],
  ]
}

/** Like `refuseNetlink`, but refuses all sockets except Unix, IPv4 and IPv6 ones. */
function allowFamilies({ socket }: Architecture): readonly Instruction[] {
  const [unix, ipv4, ipv6] = [1, 2, 10]
  return [
    [jumpIfEqual, 0, 5, socket],
    [load, 0, 0, firstArgument],
    [jumpIfEqual, 3, 0, unix],
    [jumpIfEqual, 2, 0, ipv4],
    [jumpIfEqual, 1, 0, ipv6],
    // Such as vsock, which leads to the host of a virtual machine from any network namespace.
    familyNotSupported,
  ]
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
