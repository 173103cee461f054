const OwnRequest = globalThis.Request;

/** Where the addresses of requests are relative to, as in a page. To be imported before what makes requests. */
export const origin = 'http://console.test';

globalThis.Request = class extends OwnRequest {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, origin) : input, init);
  }
};
