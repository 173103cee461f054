import { memo } from 'react';
import { previewOf } from '../../components/dataText.js';
import type { ShownEntry } from './shownEntry.js';

interface MessageLineProps {
  readonly entry: ShownEntry;
  readonly skipped?: number;
}

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** The time of day, to the millisecond, so that messages of the same second can be distinguished. */
const timeOfDay = (at: number): string => {
  const date = new Date(at);
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${pad(hours)}:${pad(minutes)}:${pad(seconds)}.${pad(date.getMilliseconds(), 3)}`;
};

const publisherText = (from: string | null | undefined): string => {
  if (from === null) return 'backend';
  return from === undefined ? '' : from.slice(0, 8);
};

/** A message in a line. */
export const MessageLine = memo(({ entry, skipped = 0 }: MessageLineProps) => (
  <div className="message-line">
    <span className="message-time">{timeOfDay(entry.at)}</span>
    <span className="message-from">{publisherText(entry.from)}</span>
    <span className="message-data">{previewOf(entry.data)}</span>
    {entry.filter !== undefined && <span className="badge">{entry.filter}</span>}
    {entry.isReplay && <span className="badge">kept</span>}
    {skipped > 0 && (
      <span className="message-skipped" title={`${skipped} messages before this one are not shown`}>
        +{skipped}
        <span className="visually-hidden"> before it not shown</span>
      </span>
    )}
  </div>
));
