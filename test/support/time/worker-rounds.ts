import { WebhookWorker } from '../../../src/features/webhook/delivery/webhook-worker.ts';
import { WebhookEndpointRepository } from '../../../src/features/webhook/endpoint/webhook-endpoint.repository.ts';
import type { TestService } from '../test-service.ts';
import { until } from './until.ts';

interface Inside {
  loop: { wake: (afterMs: number) => void; looking: Promise<void> | undefined };
  draining: Map<number, Promise<void>>;
}

/** Waits until a service sends nothing to any endpoint as it has read it before. */
export async function untilDrained({ app }: TestService): Promise<void> {
  const { draining } = app.get<Inside>(WebhookWorker);
  await until(() => draining.size === 0);
}

/**
 * Lets a service look twice for webhooks to send, and waits for the attempts that it then makes. Nothing that was
 * committed before, and has not been sent by then, will be sent without a reason.
 */
export async function workerRounds({ app }: TestService): Promise<void> {
  const { loop, draining } = app.get<Inside>(WebhookWorker);
  const looks = jest.spyOn(app.get(WebhookEndpointRepository), 'hasAny');
  for (let round = 1; round <= 2; round++) {
    await loop.looking;
    const before = looks.mock.calls.length;
    await until(() => {
      loop.wake(0);
      return looks.mock.calls.length > before;
    });
    await loop.looking;
    await Promise.all(draining.values());
  }
  looks.mockRestore();
}
