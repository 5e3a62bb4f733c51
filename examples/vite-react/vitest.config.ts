import { defineConfig } from 'vitest/config';

// In a separate file, because vite.config.ts requests the customer from the service, and no test needs that.
export default defineConfig({ test: { include: ['test/**/*.test.ts'] } });
