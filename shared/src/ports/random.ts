/** Chance enters here and nowhere else. */
export interface Random {
  uuid(): string;
  bytes(length: number): Uint8Array;
}
