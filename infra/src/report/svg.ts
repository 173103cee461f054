const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (content: string): string =>
  content.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);

export const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x}" y="${y}"${attributes === '' ? '' : ` ${attributes}`}>${escaped(content)}</text>`;

export interface Drawing {
  readonly title: string;
  readonly subtitle: string;
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

/** A picture on its own, with its title above: what is drawn begins below 56. */
export const svg = ({ title, subtitle, width, height, parts }: Drawing): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(12, 22, title, 'font-size="15" font-weight="bold"'),
    text(12, 42, subtitle, 'fill="#555555"'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
