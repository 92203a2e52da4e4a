import type { ClaimRef } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { Parking } from './port.ts';
import type { UpdateStatement } from './table.ts';

/** Records a parking. The message is not sent yet: a crash from here on is made good by the redelivery. */
export function parkStatement(tableName: string, claim: ClaimRef, parking: Parking): UpdateStatement {
  return heldStatement(tableName, claim, 'leased', {
    status: 'parked',
    parkSent: false,
    ...parking,
    leaseEndsAt: undefined,
  });
}

/** Records that the dead-letter queue accepted the message. */
export function markParkedStatement(tableName: string, claim: ClaimRef): UpdateStatement {
  return heldStatement(tableName, claim, 'parked', { parkSent: true });
}
