/** The open connections of all gateways. Rejects with `EngineUnavailable` while a gateway that may have one does not answer. */
export interface LiveConnections {
  /** By its id on record. False where the gateway does not have it any more. */
  close(gateway: string, connectionId: string): Promise<boolean>;
}
