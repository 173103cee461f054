import type { Survivor } from './mutateTarget.js';

/** A survivor that the document accepts, and why. */
export type Accepted = Pick<Survivor, 'file' | 'change'> & { readonly reason: string };

/** The rows of the tables with three columns of which the first two are code: file, change, reason. */
export const acceptedIn = (document: string): readonly Accepted[] =>
  document.split('\n').flatMap((line) => {
    const [, file, change, reason] = /^\| `([^`]+)` +\| ``? ?(.+?) ?``? +\| (.+?) +\|$/.exec(line) ?? [];
    if (file === undefined || change === undefined || reason === undefined) return [];
    return [{ file, change: change.replaceAll(String.raw`\|`, '|'), reason }];
  });

/** The beginning of a row for the document. */
export const rowFor = ({ file, change }: Pick<Survivor, 'file' | 'change'>): string => {
  const code = change.replaceAll('|', String.raw`\|`);
  return `| \`${file}\` | ${code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``} |`;
};

/** Each row accepts one survivor. `stale`: rows that accept none any more. */
export const compare = (
  survivors: readonly Survivor[],
  accepted: readonly Accepted[],
): { readonly unexplained: readonly Survivor[]; readonly stale: readonly Accepted[] } => {
  const left = [...accepted];
  const unexplained = survivors.filter(({ file, change }) => {
    const index = left.findIndex((row) => row.file === file && row.change === change);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return { unexplained, stale: left };
};
