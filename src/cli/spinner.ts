import ora from 'ora'
import { canSpin } from './print.ts'

/** Shows on a terminal that something is under way; `describe` tells what came of it. */
export const withSpinner = async <Result>(
  text: string,
  work: () => Promise<Result>,
  describe?: (result: Result) => string,
): Promise<Result> => {
  if (!canSpin()) return work()
  const spinner = ora(text).start()
  try {
    const result = await work()
    if (describe === undefined) spinner.stop()
    else spinner.succeed(describe(result))
    return result
  } catch (error) {
    spinner.stop()
    throw error
  }
}
