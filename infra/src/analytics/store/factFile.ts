/** A file of facts, as its name tells: the places that it covers, of which some may have brought no fact. */
export interface FactFile {
  readonly partition: number;
  /** Both inclusive. */
  readonly first: number;
  readonly last: number;
}

const digits = 16;
const pattern = new RegExp(`^(\\d{5,})-(\\d{${digits}})-(\\d{${digits}})\\.parquet$`);

const padded = (value: number, length: number): string => String(value).padStart(length, '0');

/** Names sort like the places. */
export const nameOf = ({ partition, first, last }: FactFile): string =>
  `${padded(partition, 5)}-${padded(first, digits)}-${padded(last, digits)}.parquet`;

/** Undefined for anything else that lies in the folder. */
export const factFileOf = (name: string): FactFile | undefined => {
  const [, partition, first, last] = pattern.exec(name) ?? [];
  if (partition === undefined) return undefined;
  const file = { partition: Number(partition), first: Number(first), last: Number(last) };
  return file.first <= file.last ? file : undefined;
};
