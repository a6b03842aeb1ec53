import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useTheme } from '../shell/theme.ts'

interface PlotPart {
  readonly name: string
  /** A variable of the theme: `--accent`. */
  readonly color: string
  readonly values: readonly number[]
}

interface Props {
  readonly label: string
  readonly xs: readonly number[]
  /** What each bar is made of, from the bottom. */
  readonly parts: readonly PlotPart[]
  readonly xText: (x: number) => string
  readonly yText: (y: number) => string
  /** How far apart marks of the axes may be; in whole numbers, because that is how everything is counted. */
  readonly xSteps?: readonly number[]
  readonly ySteps?: readonly number[]
  /** Which bar somebody points at; null: none. */
  readonly onPoint?: (place: number | null) => void
}

const HEIGHT = 150
/** Of the upright axis, at most, besides zero. */
const MARKS = 4
const STEPS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 10 }, (_, power) => step * 10 ** power))
  .sort((a, b) => a - b)

/** Bars over whole numbers. */
export function Plot({ label, parts, ...rest }: Props) {
  return (
    <div>
      <Canvas label={label} parts={parts} {...rest} />
      <p className="flex flex-wrap gap-x-4 text-xs text-soft" aria-hidden>
        {parts.toReversed().map(({ name, color }) => (
          <span key={name} className="flex items-center gap-1.5">
            <span className="size-2.5 rounded-xs" style={{ background: `var(${color})` }} /> {name}
          </span>
        ))}
      </p>
    </div>
  )
}

function Canvas({ label, xs, parts, xText, yText, xSteps = STEPS, ySteps = STEPS, onPoint }: Props) {
  const element = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another theme it is painted in other colours.
  useEffect(() => {
    const host = element.current!
    const bars = stacked(parts)
    const options = plotOptions({ xs, bars, xText, yText, xSteps, ySteps, onPoint })
    const plot = new uPlot(
      { ...options, width: host.clientWidth, height: HEIGHT },
      [[...xs], ...bars.map(({ values }) => [...values])],
      host,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }))
    observer.observe(host)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [xs, parts, xText, yText, xSteps, ySteps, onPoint, theme])
  return <div ref={element} role="img" aria-label={label} className="w-full" />
}

/** Each on top of those below it; the highest is painted first. */
function stacked(parts: readonly PlotPart[]): PlotPart[] {
  const bars = parts.map((part, height) => ({
    ...part,
    values: part.values.map((_, place) =>
      parts.slice(0, height + 1).reduce((sum, { values }) => sum + (values[place] ?? 0), 0),
    ),
  }))
  return bars.reverse()
}

type PlotOptions = Required<Pick<Props, 'xs' | 'xText' | 'yText' | 'xSteps' | 'ySteps'>> &
  Pick<Props, 'onPoint'> & { readonly bars: readonly PlotPart[] }

function plotOptions(options: PlotOptions): Omit<uPlot.Options, 'width' | 'height'> {
  const { xs, bars, xText, yText, xSteps, ySteps, onPoint } = options
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name)
  const axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  }
  const xAxis = { size: 26, grid: { show: false }, incrs: [...xSteps] }
  const marks = marksUpTo(Math.max(1, ...(bars[0]?.values ?? [])), ySteps)
  const yAxis = { size: 46, splits: marks, values: (_: uPlot, ticks: number[]) => ticks.map(yText) }
  return {
    cursor: {
      show: onPoint !== undefined,
      y: false,
      points: { show: false },
      drag: { x: false },
      move: toBar,
    },
    hooks: { setCursor: [({ cursor }) => onPoint?.(cursor.idx ?? null)] },
    legend: { show: false },
    scales: {
      x: { time: false, range: [(xs[0] ?? 0) - 0.7, (xs.at(-1) ?? 0) + 0.7] },
      y: { range: [0, marks.at(-1)!] },
    },
    axes: [
      { ...axis, ...xAxis, values: (_, ticks) => ticks.map(xText) },
      { ...axis, ...yAxis },
    ],
    series: [
      {},
      ...bars.map((bar) => ({
        label: bar.name,
        fill: color(bar.color),
        stroke: color(bar.color),
        width: 0,
        paths: uPlot.paths.bars!({ size: [0.6, 40] }),
        points: { show: false },
      })),
    ],
  }
}

/** A few, evenly spaced, the last above everything. */
function marksUpTo(most: number, steps: readonly number[]): number[] {
  const step = steps.find((each) => most / each <= MARKS) ?? steps.at(-1)!
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

/** The line goes through the bar that is meant. */
function toBar(plot: uPlot, left: number, top: number): [number, number] {
  const x = plot.data[0][plot.posToIdx(left)]
  return [left < 0 || x === undefined ? left : plot.valToPos(x, 'x'), top]
}
