import { testContract } from './support/contract.ts';
import { onEachDatabase } from './support/database/databases.ts';
import { withService } from './support/test-service.ts';

onEachDatabase((kind) => {
  testContract(withService(kind));
});
