// Changes to a message of codex such as another version could make: a field gone, of another type, of an unknown value.
import fc from 'fast-check'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Where, as a choice at each level, and what. */
export interface Mutation {
  readonly path: readonly number[]
  readonly change: { readonly drop: true } | { readonly to: Json }
}

// `constructor` is a name that every plain object answers to.
const values: Json[] = [null, 0, -1.5, '', 'aValueFromTheFuture', 'constructor', true, [], ['x'], [null], {}]

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  path: fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
  change: fc.oneof(
    fc.constant({ drop: true as const }),
    fc.constantFrom(...values).map((to) => ({ to })),
    fc.jsonValue({ maxDepth: 2 }).map((to) => ({ to: to as Json })),
  ),
})

/** The value with one change, as deep as the path leads. An empty path, or a leaf, is changed itself. */
export function mutated(value: Json, { path, change }: Mutation): Json | undefined {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
  const [choice, ...rest] = path
  if (choice === undefined || keys.length === 0) return 'drop' in change ? undefined : change.to
  const key = keys[choice % keys.length]!
  return withField(value, key, mutated((value as Record<string, Json>)[key]!, { path: rest, change }))
}

/** Every way to change one thing in a value: each field at each depth, dropped or replaced. */
export function* singleMutations(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    for (const replacement of [undefined, ...values]) yield withField(value, key, replacement)
    for (const deeper of singleMutations(inner)) yield withField(value, key, deeper)
  }
}

/** A copy with this field or element set, or left out when there is nothing to set. */
function withField(value: Json, key: string, inner: Json | undefined): Json {
  if (Array.isArray(value))
    return value.flatMap((old, index) => (String(index) !== key ? [old] : inner === undefined ? [] : [inner]))
  const { [key]: _, ...others } = value as Record<string, Json>
  return inner === undefined ? others : { ...others, [key]: inner }
}
