/** A place in what one process has seen; another process goes on by the time. */
export interface Cursor {
  /** Of the process's reading: eight hexadecimal digits. */
  readonly reading: string;
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export const cursorPattern = '^[0-9a-f]{8}\\.\\d{1,15}\\.\\d{1,15}$';

export const textOfCursor = ({ reading, number, time }: Cursor): string => `${reading}.${number}.${time}`;

/** Of a text that fits the pattern. */
export const cursorOf = (text: string): Cursor => {
  const [reading = '', number = '', time = ''] = text.split('.');
  return { reading, number: Number(number), time: Number(time) };
};
