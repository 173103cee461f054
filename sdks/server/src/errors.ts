/** A message that was not published: the protocol's error. */
export interface Refused {
  readonly error: string;
  readonly code?: number;
  readonly hint?: string;
  readonly maxSizeBytes?: number;
}

/** The service refused a message; the fields are those of the protocol's error. */
export class PublishRefused extends Error {
  override readonly name = 'PublishRefused';
  readonly error: string;
  readonly code: number | undefined;
  readonly hint: string | undefined;
  readonly maxSizeBytes: number | undefined;
  /** Of HTTP. */
  readonly status: number;

  constructor({ error, code, hint, maxSizeBytes }: Refused, status: number) {
    super(hint ? `${error}: ${hint}` : error);
    this.error = error;
    this.code = code;
    this.hint = hint;
    this.maxSizeBytes = maxSizeBytes;
    this.status = status;
  }
}

/** The service refused the request as a whole, or did not answer: then without a status. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  /** Of HTTP. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
