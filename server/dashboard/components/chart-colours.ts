/** Chart colours that are distinguishable on light and dark backgrounds. */
export const chartColours = [
  '#1b87ab',
  '#d3953f',
  '#5b9a6f',
  '#a66a9a',
  '#c2604f',
  '#7d8c94',
  '#8a7a3c',
  '#4f6bb0',
] as const
