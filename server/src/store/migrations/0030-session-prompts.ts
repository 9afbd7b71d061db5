/** Marks sessions in which a prompt was run, which has another price. */
export const sessionPrompts: readonly string[] = [
  `alter table session add column is_prompted boolean not null default false`,
]
