/** Digits in base 36 with which the id of a message begins: the time at which it was accepted. */
export const timeDigits = 9;

/** Of a message, Unix milliseconds. */
export const acceptedAt = (messageId: string): number => Number.parseInt(messageId.slice(0, timeDigits), 36);
