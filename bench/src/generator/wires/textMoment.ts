const bytes = new Uint8Array(8);
const asDouble = new Float64Array(bytes.buffer);
const digits = 7;
const base = 64;
const firstDigit = 0x30;
const perMillisecond = 100;

/**
 * Eight characters for a moment, of a hundredth of a millisecond, for wires that carry text. None of them needs an
 * escape in JSON: `0` to `o` but for the backslash, which becomes `z`.
 */
export const textOfMoment = (moment: number): string => {
  let left = Math.round(moment * perMillisecond);
  let text = '';
  for (let digit = 0; digit < digits; digit += 1) {
    text += characterOf(left % base);
    left = Math.floor(left / base);
  }
  return `${text}.`;
};

/** The same eight characters, when they were read as a double, which no text of these is too large for. */
export const momentOfText = (raw: number): number => {
  asDouble[0] = raw;
  let ticks = 0;
  for (let digit = digits - 1; digit >= 0; digit -= 1) ticks = ticks * base + digitOf(bytes[digit] as number);
  return ticks / perMillisecond;
};

const backslash = 0x5c;
const inItsPlace = 0x7a;

const characterOf = (digit: number): string => {
  const code = firstDigit + digit;
  return String.fromCharCode(code === backslash ? inItsPlace : code);
};

const digitOf = (code: number): number => (code === inItsPlace ? backslash : code) - firstDigit;
