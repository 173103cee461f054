/** Where a customer wants to be called, and the headers that authenticate the call. */
export interface Webhook {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}
