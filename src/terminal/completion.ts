import type { Command, Option } from 'commander'

/** Shells with completion scripts. */
export const completionShells = ['bash', 'zsh', 'fish'] as const

/** A shell with a completion script. */
export type CompletionShell = (typeof completionShells)[number]

/** Words that can follow those of a command. */
interface Step {
  /** Names of commands, separated by spaces, such as `sessions list`. Empty for the program. */
  readonly path: string
  readonly words: readonly Word[]
  /** Values of the flags that accept only certain ones. */
  readonly choices: readonly { readonly flag: string; readonly values: readonly string[] }[]
}

interface Word {
  readonly name: string
  readonly description: string
}

/** Returns the script that completes the commands and flags of a program. */
export function completionScript(name: string, commands: readonly Command[], shell: CompletionShell): string {
  const own = commands.map((command) => wordOf(command))
  const steps = [{ path: '', words: [...own, help], choices: [] }, ...commands.flatMap((each) => stepsOf(each, ''))]
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](name, steps)
}

const help: Word = { name: '--help', description: 'display help' }

function stepsOf(command: Command, parent: string): readonly Step[] {
  const path = `${parent} ${command.name()}`.trim()
  const options = command.options.filter(({ hidden, long }) => !hidden && long !== undefined)
  const words = [...command.commands.map((each) => wordOf(each)), ...options.map(flagOf), help]
  const choices = options.flatMap(({ long = '', argChoices: values }) =>
    values === undefined ? [] : [{ flag: long, values }],
  )
  return [{ path, words, choices }, ...command.commands.flatMap((each) => stepsOf(each, path))]
}

function wordOf(command: Command): Word {
  return { name: command.name(), description: command.summary() || command.description() }
}

function flagOf({ long = '', description }: Option): Word {
  return { name: long, description }
}

/** Shell code that finds the command among the words before the cursor. */
function pathCases(steps: readonly Step[], indent: string): string {
  const paths = steps.map(({ path }) => path).filter((path) => path !== '')
  return `${indent}case "$path $word" in\n${paths.map((path) => `${indent}  ${quote(path.includes(' ') ? path : ` ${path}`)}) path=${quote(path)} ;;`).join('\n')}\n${indent}esac`
}

function bashScript(name: string, steps: readonly Step[]): string {
  const choices = steps.flatMap(({ path, choices: own }) =>
    own.map(({ flag, values }) => `    ${quote(`${path} ${flag}`)}) words=${quote(values.join(' '))} ;;`),
  )
  const words = steps.map(({ path, words: own }) => `    ${quote(path)}) words=${quote(namesOf(own).join(' '))} ;;`)
  return `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local path='' words='' word i cur="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # What follows is another program with its arguments.
    [[ $word == -- ]] && return
${pathCases(steps, '    ')}
  done
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${choices.join('\n')}
  esac
  [[ -z $words ]] && case "$path" in
${words.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _${name} ${name}
`
}

function zshScript(name: string, steps: readonly Step[]): string {
  const choices = steps.flatMap(({ path, choices: own }) =>
    own.map(
      ({ flag, values }) => `    ${quote(`${path} ${flag}`)}) compadd -- ${values.map(quote).join(' ')}; return ;;`,
    ),
  )
  const described = ({ name: word, description }: Word): string =>
    quote(`${word.replaceAll(':', '\\:')}:${description.split('\n')[0]}`)
  const words = steps.map(({ path, words: own }) => `    ${quote(path)}) words=(${own.map(described).join(' ')}) ;;`)
  return `#compdef ${name}
# zsh completion of ${name}: ${name} completion zsh > "\${fpath[1]}/_${name}"
_${name}() {
  local path='' word
  local -a before words_of
  before=("\${(@)words[2,CURRENT-1]}")
  for word in "\${before[@]}"; do
    [[ $word == -- ]] && { _normal; return }
${pathCases(steps, '    ')}
  done
  case "$path \${words[CURRENT-1]}" in
${choices.join('\n')}
  esac
  case "$path" in
${words.map((line) => line.replace(') words=(', ') words_of=(')).join('\n')}
  esac
  _describe ${quote(`command or flag`)} words_of || _files
}
(( $+functions[compdef] )) && compdef _${name} ${name}
`
}

function fishScript(name: string, steps: readonly Step[]): string {
  const lines = steps.flatMap(({ path, words, choices }) => {
    const valuesOf = new Map(choices.map(({ flag, values }) => [flag, values]))
    return words.map(({ name: word, description }) => {
      const condition = `-n ${fishQuote(`__${name}_path ${fishQuote(path)}`)}`
      const detail = `-d ${fishQuote(description.split('\n')[0] ?? '')}`
      if (!word.startsWith('--')) return `complete -c ${name} ${condition} -f -a ${fishQuote(word)} ${detail}`
      const values = valuesOf.get(word)
      const value = values === undefined ? '' : ` -x -a ${fishQuote(values.join(' '))}`
      return `complete -c ${name} ${condition} -l ${fishQuote(word.slice(2))}${value} ${detail}`
    })
  })
  const paths = steps.map(({ path }) => path).filter((path) => path !== '')
  return `# fish completion of ${name}: ${name} completion fish | source
function __${name}_path
  set -l path ''
  for word in (commandline -opc)[2..]
    test "$word" = -- && return 1
    switch "$path $word"
${paths.map((path) => `      case ${fishQuote(path.includes(' ') ? path : ` ${path}`)}\n        set path ${fishQuote(path)}`).join('\n')}
    end
  end
  test "$path" = "$argv"
end
${lines.join('\n')}
`
}

function namesOf(words: readonly Word[]): readonly string[] {
  return words.map(({ name }) => name)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`
}
