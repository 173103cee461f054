import { readFileSync } from 'node:fs';

const root = new URL('../../../../', import.meta.url);

/** The blocks of code in one language that a document of the project shows, in order. */
export const documentBlocks = (path: string, language: string): readonly string[] => {
  const text = readFileSync(new URL(path, root), 'utf8');
  return Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm')),
    ([, block = '']) => block,
  );
};

/** The rows of the first table that follows a text, without their marks of code. */
export const documentTable = (path: string, after: string): readonly (readonly string[])[] => {
  const text = readFileSync(new URL(path, root), 'utf8');
  const lines = text.slice(text.indexOf(after)).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|'));
  const rows = lines.slice(begin + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
};
