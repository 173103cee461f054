import { useEffect } from 'react';
import { createStore, useStore } from '../app/store.js';

const now = createStore(Date.now());
let shownTimes = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times that are shown; it stands still while there are none. */
const useNow = (): number => {
  useEffect(() => {
    now.set(Date.now());
    shownTimes += 1;
    timer ??= setInterval(() => now.set(Date.now()), 10_000);
    return () => {
      shownTimes -= 1;
      if (shownTimes > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return useStore(now);
};

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const relativeTime = (at: number, from: number): string => {
  const distance = at - from;
  const unit = units.find(([, ms]) => Math.abs(distance) >= ms);
  if (unit) return relative.format(Math.round(distance / unit[1]), unit[0]);
  return distance > 0 ? 'in less than a minute' : 'just now';
};

interface TimeProps {
  /** ISO 8601, or Unix milliseconds; null shows `never`, or what `none` says. */
  readonly at: string | number | null | undefined;
  readonly none?: string;
  /** With seconds, as for a message; by default how long ago. */
  readonly exact?: boolean;
}

export const Time = ({ at, none = 'never', exact = false }: TimeProps) => {
  const current = useNow();
  if (at === null || at === undefined) return <span className="muted">{none}</span>;
  const date = new Date(at);
  const full = absolute.format(date);
  return (
    <time dateTime={date.toISOString()} title={full}>
      {exact ? full : relativeTime(date.getTime(), current)}
    </time>
  );
};
