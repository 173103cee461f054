import type { LogPosition } from '@roomwire/shared/ports/eventLog';

/** What a bar is drawn on. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** Events that are done, and the position of the last one. */
  readonly show: (events: number, position: LogPosition) => void;
  /** Takes the bar away. */
  readonly end: () => void;
}

const width = 24;
const betweenMs = 100;
const clearLine = '\r\u001b[K';

/** Rate and time left, drawn ten times a second; on anything but a terminal nothing at all. */
export const progressBar = (
  what: string,
  head: LogPosition | undefined,
  terminal: Terminal,
  now: () => number = () => performance.now(),
): ProgressBar => {
  if (terminal.isTTY !== true) return { show: () => undefined, end: () => undefined };
  const [start, all] = [now(), magnitude(head ?? '1')];
  let drawn = -Infinity;
  return {
    show: (events, position) => {
      if (now() - drawn < betweenMs) return;
      drawn = now();
      const part = Math.min(1, magnitude(position) / all);
      terminal.write(`${clearLine}${barText(what, part, events, (drawn - start) / 1_000)}`);
    },
    end: () => void terminal.write(clearLine),
  };
};

/** Positions are numbers of a fixed width, or begin with one. */
const magnitude = (position: LogPosition): number => Math.max(1, Number.parseInt(position, 10));

const barText = (what: string, part: number, events: number, seconds: number): string => {
  const full = Math.round(part * width);
  const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
  const rate = Math.round(events / Math.max(seconds, 0.001));
  const left = Math.ceil((seconds / Math.max(part, 0.001)) * (1 - part));
  const percent = String(Math.floor(part * 100)).padStart(3);
  return `${what} ${bar} ${percent} %  ${events} events, ${rate}/s, ${left} s left`;
};
