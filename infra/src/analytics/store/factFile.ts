/** A file of facts, as its name tells: the places that it covers, of which some may have brought no fact. */
export interface FactFile {
  readonly partition: number;
  /** Both inclusive. */
  readonly first: number;
  readonly last: number;
  /** How often it was written anew, because some of its facts had become too old. */
  readonly revision: number;
}

const digits = 16;
const pattern = new RegExp(`^(\\d{5,})-(\\d{${digits}})-(\\d{${digits}})(?:\\.(\\d{1,9}))?\\.parquet$`);

const padded = (value: number, length: number): string => String(value).padStart(length, '0');

/** Names sort like the places. */
export const nameOf = ({ partition, first, last, revision }: FactFile): string => {
  const places = `${padded(partition, 5)}-${padded(first, digits)}-${padded(last, digits)}`;
  return revision === 0 ? `${places}.parquet` : `${places}.${revision}.parquet`;
};

/** Undefined for anything else that lies in the folder. */
export const factFileOf = (name: string): FactFile | undefined => {
  const [, partition, first, last, revision = '0'] = pattern.exec(name) ?? [];
  if (partition === undefined) return undefined;
  const file = {
    ...{ partition: Number(partition), first: Number(first), last: Number(last), revision: Number(revision) },
  };
  return file.first <= file.last && nameOf(file) === name ? file : undefined;
};
