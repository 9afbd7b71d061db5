/** Commands of the server for the `bowline` command line. @module */
export { createBackupCommand } from './cli/backup-command.ts'
export { createDoctorCommand } from './cli/doctor.ts'
export { createMoveCommand } from './cli/move-command.ts'
export { createRestoreCommand } from './cli/restore-command.ts'
export { createServeCommand } from './cli/serve-command.ts'
export { limitWasmCompiler } from './cli/limit-wasm-compiler.ts'
