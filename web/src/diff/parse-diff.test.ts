import { describe, expect, it } from 'vitest'
import { changeDiff, parsePatch } from './parse-diff.ts'
import { markChange, sideBySide } from './side-by-side.ts'

const PATCH = `diff --git a/src/a.js b/src/a.js
index 1..2 100644
--- a/src/a.js
+++ b/src/a.js
@@ -1,3 +1,3 @@ function a() {
 one
-two
+TWO
 three
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+--- looks like a header
++++ so does this
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/x.txt b/y.txt
similarity index 100%
rename from x.txt
rename to y.txt
`

describe('a patch', () => {
  it('is read file by file, with numbers for every line', () => {
    const [updated, added, deleted, moved] = parsePatch(PATCH)
    expect(updated).toMatchObject({ path: 'src/a.js', change: 'updated', addedCount: 1, removedCount: 1 })
    expect(updated!.hunks[0]!.lines).toEqual([
      { kind: 'same', text: 'one', oldNumber: 1, newNumber: 1 },
      { kind: 'removed', text: 'two', oldNumber: 2, newNumber: null },
      { kind: 'added', text: 'TWO', oldNumber: null, newNumber: 2 },
      { kind: 'same', text: 'three', oldNumber: 3, newNumber: 3 },
    ])
    expect(added).toMatchObject({ path: 'new.txt', change: 'added', addedCount: 2 })
    expect(deleted).toMatchObject({ path: 'old.txt', change: 'deleted', removedCount: 1 })
    expect(moved).toMatchObject({ path: 'y.txt', from: 'x.txt', change: 'updated', hunks: [] })
  })

  it('of nothing is no files', () => {
    expect(parsePatch('')).toEqual([])
  })
})

describe('a change of codex', () => {
  it('is a whole file when it is added or deleted', () => {
    const added = changeDiff({ path: '/w/a.txt', kind: { type: 'add' }, diff: 'one\ntwo\n', cwd: '/w' })
    expect(added).toMatchObject({ path: 'a.txt', change: 'added', addedCount: 2, removedCount: 0 })
    const deleted = changeDiff({ path: '/v/a.txt', kind: { type: 'delete' }, diff: 'one\n', cwd: '/w' })
    expect(deleted).toMatchObject({ path: '/v/a.txt', change: 'deleted', removedCount: 1 })
  })

  it('is hunks when it is updated, and says where it moved', () => {
    const kind = { type: 'update', move_path: '/w/b.txt' }
    const moved = changeDiff({ path: '/w/a.txt', kind, diff: '@@ -1 +1 @@\n-a\n+b\n', cwd: '/w' })
    expect(moved).toMatchObject({ path: 'b.txt', from: 'a.txt', addedCount: 1, removedCount: 1 })
  })
})

describe('side by side', () => {
  it('puts what replaced something beside it', () => {
    const [file] = parsePatch(PATCH)
    const rows = sideBySide(file!.hunks[0]!.lines).map(({ left, right }) => [left?.text, right?.text])
    expect(rows).toEqual([
      ['one', 'one'],
      ['two', 'TWO'],
      ['three', 'three'],
    ])
  })

  it('marks what is not in the other line', () => {
    expect(markChange('const a = 1', 'const b = 1')).toEqual({
      before: 'const ',
      changed: 'a',
      after: ' = 1',
    })
    expect(markChange('completely', 'other words')).toBeNull()
  })
})
