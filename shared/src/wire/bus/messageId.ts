/**
 * The id of a message says where it comes from: `mi8k2x0a10003.kQ0mZr7Tn1vXy4bA.x1Yz0q~order-7` is the time at which it was accepted, a count within the
 * millisecond, the gateway, the connection unless it came over HTTP, and the id that its publisher gave it, if any. So all of that is wherever the message is, and in what
 * earlier versions read.
 */

/** Digits in base 36 with which an id begins. */
export const timeDigits = 9;

/** Digits in base 36 of the count. */
export const countDigits = 4;

const nameStart = timeDigits + countDigits + 1;

/** No given id holds it. */
const givenMark = '~';

/** What a gateway's name, or that of a connection, adds to an id. */
export const markOf = (name: string): string => `.${name}`;

export const withGivenId = (messageId: string, givenId: string | undefined): string =>
  givenId === undefined ? messageId : `${messageId}${givenMark}${givenId}`;

/** Unix milliseconds. */
export const acceptedAt = (messageId: string): number => Number.parseInt(messageId.slice(0, timeDigits), 36);

/** The id that the publisher gave; undefined for none. */
export const givenIdOf = (messageId: string): string | undefined => {
  const at = messageId.indexOf(givenMark, nameStart);
  return at < 0 ? undefined : messageId.slice(at + 1);
};

/** The name of the connection by which it was published; that of a gateway alone where there was none. */
export const connectionOf = (messageId: string): string => {
  const at = messageId.indexOf(givenMark, nameStart);
  return messageId.slice(nameStart, at < 0 ? undefined : at);
};
