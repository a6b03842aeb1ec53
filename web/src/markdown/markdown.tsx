import { lazy, memo, Suspense, useContext, useEffect, useState } from 'react'
import { FlickContext } from '../task/flick.ts'

const View = lazy(() => import('./streamdown-view.tsx').then((room) => ({ default: room.StreamdownView })))

interface Props {
  readonly text: string
  readonly isLive?: boolean
}

/** Text of the model. Plain until what renders it has been fetched, and while it only flies past. */
export const Markdown = memo(({ text, isLive = false }: Props) => {
  const isFlicking = useContext(FlickContext)
  const [isRich, setRich] = useState(!isFlicking)
  useEffect(() => {
    if (!isFlicking) setRich(true)
  }, [isFlicking])
  const plain = (
    <div className="text-[15px] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</div>
  )
  if (!isRich) return plain
  return (
    <Suspense fallback={plain}>
      <View text={text} isLive={isLive} />
    </Suspense>
  )
})
