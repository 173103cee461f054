/** Digits in base 36: of a time, of the number of a batch of facts, and of a fact in its batch. */
const [timeDigits, numberDigits, indexDigits] = [9, 8, 4];

const digits = (value: number, length: number): string => value.toString(36).padStart(length, '0');
const pattern = (length: number): string => `[0-9a-z]{${length}}`;

/** Before the facts of a batch, and behind those of the batches before. */
export const placeOfBatch = (number: number): string => digits(number, numberDigits);

/** Made once: every fact has one. */
const indexes: string[] = [];

/** Of a fact in a batch that has this place. */
export const placeInBatch = (batch: string, index: number): string =>
  batch + (indexes[index] ??= `.${digits(index, indexDigits)}`);

export const factPlacePattern = String.raw`^${pattern(numberDigits)}\.${pattern(indexDigits)}$`;

interface Begun {
  /** Milliseconds since 1970. */
  readonly connectedAt: number;
  readonly connectionId: string;
}

/** Sorts connections by the time at which they began. */
export const placeOfConnection = ({ connectedAt, connectionId }: Begun): string =>
  `${digits(connectedAt, timeDigits)}-${connectionId}`;

/** Before those of every connection that had begun at the time, and of later ones. */
export const placeAt = (time: number): string => digits(time, timeDigits);

/** Behind those of every connection that had begun at the time. */
export const placeBehind = (time: number): string => `${digits(time, timeDigits)}~`;

export const connectionPlacePattern = `^${pattern(timeDigits)}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`;
