import { lazy, memo, Suspense } from 'react'

const View = lazy(() => import('./streamdown-view.tsx').then((room) => ({ default: room.StreamdownView })))

interface Props {
  readonly text: string
  readonly isLive?: boolean
}

/** Text of the model. Plain until what renders it has been fetched. */
export const Markdown = memo(({ text, isLive = false }: Props) => (
  <Suspense fallback={<div className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</div>}>
    <View text={text} isLive={isLive} />
  </Suspense>
))
