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
  const values = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, description })),
  )
  const words = [...command.commands.map((each) => wordOf(each)), ...values, ...options.map(flagOf), help]
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

/**
 * Shell code that finds the command among the words before the cursor. Its variable is not `path`,
 * which zsh ties to `$PATH`.
 */
function pathCases(steps: readonly Step[], indent: string): string {
  const paths = steps.map(({ path }) => path).filter((path) => path !== '')
  return `${indent}case "$command_path $word" in\n${paths.map((path) => `${indent}  ${quote(path.includes(' ') ? path : ` ${path}`)}) command_path=${quote(path)} ;;`).join('\n')}\n${indent}esac`
}

function bashScript(name: string, steps: readonly Step[]): string {
  const choices = steps.flatMap(({ path, choices: own }) =>
    own.map(({ flag, values }) => `    ${quote(`${path} ${flag}`)}) words=${quote(values.join(' '))} ;;`),
  )
  const words = steps.map(({ path, words: own }) => `    ${quote(path)}) words=${quote(namesOf(own).join(' '))} ;;`)
  return `# bash completion of ${name}, in ~/.bashrc: source <(${name} completion bash)
_${name}() {
  local command_path='' words='' word i cur="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # What follows is another program with its arguments.
    if [[ $word == -- ]]; then
      if declare -F _command_offset >/dev/null; then
        _command_offset $((i + 1))
      elif ((COMP_CWORD == i + 1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      fi
      return
    fi
${pathCases(steps, '    ')}
  done
  case "$command_path \${COMP_WORDS[COMP_CWORD - 1]}" in
${choices.join('\n')}
  esac
  [[ -z $words ]] && case "$command_path" in
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
# zsh completion of ${name}, in ~/.zshrc after compinit: source <(${name} completion zsh)
_${name}() {
  local command_path='' word
  local -a words_of
  local -i at
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    # What follows is another program with its arguments.
    if [[ $word == -- ]]; then
      shift at words
      ((CURRENT -= at))
      _normal
      return
    fi
${pathCases(steps, '    ')}
  done
  case "$command_path \${words[CURRENT-1]}" in
${choices.join('\n')}
  esac
  case "$command_path" in
${words.map((line) => line.replace(') words=(', ') words_of=(')).join('\n')}
  esac
  _describe ${quote(`command or flag`)} words_of || _files
}
if [[ \${funcstack[1]} == _${name} ]]; then
  # Loaded from a folder of $fpath by the first completion.
  _${name} "$@"
elif (( $+functions[compdef] )); then
  compdef _${name} ${name}
else
  print -u2 '${name}: the completion needs compinit: run "autoload -Uz compinit && compinit" first'
fi
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
  return `# fish completion of ${name}, in ~/.config/fish/config.fish: ${name} completion fish | source
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
# Completes the program after --, and its arguments.
function __${name}_program
  set -l words (commandline -opc)
  set -l at (contains -i -- -- $words); or return
  set -e words[1..$at]
  complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end
complete -c ${name} -n 'contains -- -- (commandline -opc)' -x -a '(__${name}_program)'
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
