const longestShown = 80;
/** Of what both have in common, before they differ. */
const shownBefore = 20;

const inOneLine = (code: string): string => code.replaceAll(/\s+/g, ' ');

/** What was replaced, and by what, each in one line; long ones from shortly before they differ. */
export const shownChange = (original: string, replacement: string): string => {
  const both = [inOneLine(original), inOneLine(replacement)] as const;
  const from = both.some(({ length }) => length > longestShown) ? firstDifference(...both) - shownBefore : 0;
  return both.map((code) => excerpt(code, from)).join(' → ');
};

const firstDifference = (one: string, other: string): number => {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
};

const excerpt = (code: string, from: number): string => {
  const rest = from > 0 ? `…${code.slice(from)}` : code;
  return rest.length > longestShown ? `${rest.slice(0, longestShown)}…` : rest;
};
