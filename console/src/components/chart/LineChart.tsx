import { useState, type PointerEvent } from 'react';
import { compactNumber, linePath, roundMaximum } from './chartScale.js';

export interface Series {
  readonly title: string;
  /** One for each time; null where it is not known. */
  readonly values: readonly (number | null)[];
}

interface LineChartProps {
  readonly title: string;
  /** What a value is: `a minute`. */
  readonly unit?: string;
  /** Unix milliseconds, at equal distances. */
  readonly times: readonly number[];
  /** At most three. */
  readonly series: readonly Series[];
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

/** Values over time, as lines and as an accessible table. The values under the pointer are shown beside the names. */
export const LineChart = ({ title, unit, times, series }: LineChartProps) => {
  const [pointed, setPointed] = useState<number>();
  const all = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const maximum = roundMaximum(Math.max(0, ...all));
  const last = times.length - 1;
  const shown = Math.min(pointed ?? last, last);

  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setPointed(Math.max(0, Math.round(((event.clientX - left) / width) * last)));
  };

  return (
    <figure className="chart panel" aria-label={title}>
      <figcaption>
        <h2>
          {title} {unit !== undefined && <span className="muted chart-unit">{unit}</span>}
        </h2>
        <p className="chart-legend">
          {series.map(({ title: name, values }, index) => (
            <span key={name} className={`chart-key series-${index + 1}`}>
              {name} <strong>{valueText(values[shown])}</strong>
            </span>
          ))}
          {pointed !== undefined && <span className="muted">at {clock.format(times[shown])}</span>}
        </p>
      </figcaption>
      <div className="chart-body" aria-hidden>
        <div className="chart-scale">
          <span>{compactNumber(maximum)}</span>
          <span>{compactNumber(maximum / 2)}</span>
          <span>0</span>
        </div>
        <div className="chart-lines" onPointerMove={point} onPointerLeave={() => setPointed(undefined)}>
          <svg viewBox="0 0 100 100" preserveAspectRatio="none">
            <path className="chart-grid" d="M0 0H100M0 50H100M0 100H100" />
            {series.map(({ title: name, values }, index) => (
              <path key={name} className={`chart-line series-${index + 1}`} d={linePath(values, maximum)} />
            ))}
            {pointed !== undefined && last > 0 && (
              <path className="chart-pointer" d={`M${(shown / last) * 100} 0V100`} />
            )}
          </svg>
        </div>
        <div className="chart-times">
          <span>{times[0] !== undefined && clock.format(times[0])}</span>
          <span>{times[last] !== undefined && clock.format(times[last])}</span>
        </div>
      </div>
      <AsTable title={title} times={times} series={series} />
    </figure>
  );
};

const valueText = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'unknown' : value.toLocaleString('en');

const AsTable = ({ title, times, series }: Omit<LineChartProps, 'unit'>) => (
  <details className="chart-table">
    <summary>
      As a table<span className="visually-hidden">: {title}</span>
    </summary>
    <div className="chart-rows" tabIndex={0} role="region" aria-label={`${title}, the values`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ title: name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((time, index) => (
              <tr key={time}>
                <th scope="row">{clock.format(time)}</th>
                {series.map(({ title: name, values }) => (
                  <td key={name}>{valueText(values[index])}</td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </div>
  </details>
);
