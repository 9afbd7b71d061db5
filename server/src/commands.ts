/** Commands of the server for the `bowline` command line. @module */
export { createDoctorCommand } from './cli/doctor.ts'
export { createServeCommand } from './cli/serve-command.ts'
