import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

interface Props {
  readonly label: string
  readonly xs: readonly number[]
  readonly series: readonly {
    readonly name: string
    readonly color: string
    readonly values: readonly number[]
  }[]
  readonly xText: (x: number) => string
  readonly yText: (y: number) => string
}

const HEIGHT = 150
/** Everything that is counted is counted in whole numbers. */
const STEPS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 10 }, (_, power) => step * 10 ** power))
  .sort((a, b) => a - b)

/** Bars over whole numbers. Colours are names of the theme's variables. */
export function Plot({ label, xs, series, xText, yText }: Props) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const host = element.current!
    const style = getComputedStyle(document.documentElement)
    const color = (name: string) => style.getPropertyValue(name)
    const axis = {
      stroke: color('--soft'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    }
    const plot = new uPlot(
      {
        width: host.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: { time: false, range: [(xs[0] ?? 0) - 0.7, (xs.at(-1) ?? 0) + 0.7] },
          y: { range: (_, __, max) => [0, Math.max(1, max)] },
        },
        axes: [
          {
            ...axis,
            size: 26,
            grid: { show: false },
            incrs: STEPS,
            values: (_, ticks) => ticks.map(xText),
          },
          { ...axis, size: 46, incrs: STEPS, values: (_, ticks) => ticks.map(yText) },
        ],
        series: [
          {},
          ...series.map(({ name, color: variable }) => ({
            label: name,
            fill: color(variable),
            stroke: color(variable),
            width: 0,
            paths: uPlot.paths.bars!({ size: [0.6, 40] }),
            points: { show: false },
          })),
        ],
      },
      [[...xs], ...series.map(({ values }) => [...values])],
      host,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }))
    observer.observe(host)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [xs, series, xText, yText])
  return (
    <div>
      <div ref={element} role="img" aria-label={label} className="w-full" />
      {series.length > 1 && (
        <p className="flex gap-4 text-xs text-soft" aria-hidden>
          {series.map(({ name, color }) => (
            <span key={name} className="flex items-center gap-1.5">
              <span className="size-2.5 rounded-xs" style={{ background: `var(${color})` }} /> {name}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}
