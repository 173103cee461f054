import { InvalidArgumentError } from 'commander';

/** An argument that says how many: a whole number from 1 on. */
export const readCount = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a number of at least 1.');
  return Number(text);
};
