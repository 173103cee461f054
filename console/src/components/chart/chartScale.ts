/** A round number that is no less: where the scale of a chart ends. Never 0, so that a flat line lies at the bottom. */
export const roundMaximum = (largest: number): number => {
  if (largest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 4, 5, 10].find((factor) => factor * power >= largest) ?? 10;
  return step * power;
};

/** The path of a line in a square of 100 by 100, with a gap where a value is not known. */
export const linePath = (values: readonly (number | null)[], maximum: number): string => {
  const last = Math.max(values.length - 1, 1);
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const [x, y] = [(index / last) * 100, 100 - (value / maximum) * 100];
    const isAfterGap = index === 0 || values[index - 1] === null;
    path += `${isAfterGap ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`;
    // One value between two gaps is a dot.
    if (isAfterGap && (values[index + 1] ?? null) === null) path += 'h0';
  });
  return path;
};

const rounded = (value: number): number => Math.round(value * 100) / 100;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const compactNumber = (value: number): string => compact.format(value);
