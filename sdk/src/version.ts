/** Of this package; a test compares it with `package.json`. */
export const version = '0.1.0';

/** What the server shows of this client. */
export const clientName = `roomwire-js/${version}`;
