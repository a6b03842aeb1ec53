import { useEffect, useState } from 'react'
import type { Question } from '../api/contract.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { changeDiff, lineCount } from '../diff/parse-diff.ts'
import { Button } from '../ui/button.tsx'

type FileChange = Extract<Question, { kind: 'file-change' }>

/** More than this a browser does not draw at once. */
const MAX_LINES = 3000

interface Props {
  readonly question: FileChange
  readonly onHidden: (isHidden: boolean) => void
}

/** Every line that would change. A change that is too long to draw at once cannot be allowed before all of it is shown. */
export function ChangesBody({ question, onHidden }: Props) {
  const [isWhole, setWhole] = useState(false)
  const files = question.changes.map((change) => changeDiff({ ...change, cwd: question.cwd }))
  const total = files.reduce((sum, file) => sum + lineCount(file), 0)
  const isHidden = total > MAX_LINES && !isWhole
  useEffect(() => onHidden(isHidden), [onHidden, isHidden])
  return (
    <>
      <DiffView files={files} lines={isHidden ? 'some' : 'all'} />
      {isHidden && (
        <p className="flex flex-wrap items-center gap-2 text-[13px] text-wait">
          Not all of its {total.toLocaleString()} lines are shown. It can be allowed when they are.
          <Button size="small" onClick={() => setWhole(true)}>
            Show all lines
          </Button>
        </p>
      )}
    </>
  )
}
