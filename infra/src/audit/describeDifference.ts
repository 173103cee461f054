import type { ViewDifference } from './verifyViews.js';

const longest = 200;

/** A line for people. Hashes and sealed secrets are named and not shown. */
export const describeDifference = ({ view, id, fields, isIn }: ViewDifference): string => {
  if (isIn === 'the log') return `${view} ${id} is not in the read models`;
  if (isIn === 'the read models') return `${view} ${id} is in the read models and not in the log`;
  const all = fields.map(({ path, before, after }) =>
    /^\/(?:secretHash|sealedSecret)/.test(path)
      ? `${path} is another one`
      : `${path} is ${shown(after)}, by the log ${shown(before)}`,
  );
  return `${view} ${id}: ${all.join('; ')}`;
};

const shown = (value: unknown): string => {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
};
