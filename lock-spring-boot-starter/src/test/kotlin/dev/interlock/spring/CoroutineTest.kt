package dev.interlock.spring

import dev.interlock.Lease
import dev.interlock.LockClient
import dev.interlock.LockRequest
import dev.interlock.LockTimeoutException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ConfigurableApplicationContext

/** For how long Kotlin's coroutines hold a lock. */
@Timeout(30)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CoroutineTest {
  private lateinit var context: ConfigurableApplicationContext
  private lateinit var client: LockClient
  private lateinit var coroutines: Coroutines

  open class Coroutines(private val client: LockClient) {
    private fun isHeld() = client.inspect("x").isPresent

    @Locked(name = "x", waitFor = "0")
    open suspend fun work(input: Deferred<String>): String {
      val value = input.await()
      val lease = currentCoroutineContext()[ReactorContext]?.context?.get<Lease>(CurrentLease.CONTEXT_KEY)
      return "$value ${isHeld()} ${lease?.isValid}"
    }

    @OptIn(DelicateCoroutinesApi::class)
    @Locked(name = "x", waitFor = "0")
    open fun deferred(input: Deferred<String>): Deferred<String> =
      GlobalScope.async { "${input.await()} ${isHeld()}" }

    @Locked(name = "x", waitFor = "0")
    open fun flow(input: Deferred<String>): Flow<Boolean> = flow {
      emit(isHeld())
      input.await()
      emit(isHeld())
    }

    @Locked(name = "x", waitFor = "0")
    open suspend fun suspendedFlow(input: Deferred<String>): Flow<Boolean> = flow {
      emit(isHeld())
      input.await()
      emit(isHeld())
    }

    @Locked(name = "x", waitFor = "0", onBusy = OnBusy.SKIP)
    open suspend fun skipped(): List<String> = listOf("done")

    @Locked(name = "x", waitFor = "0", onBusy = OnBusy.SKIP)
    open suspend fun number(): Int = 1

    @Locked(name = "x", waitFor = "0", onBusy = OnBusy.SKIP)
    open suspend fun flag(): Boolean = true

    @Locked(name = "x", waitFor = "0", onBusy = OnBusy.SKIP)
    open suspend fun numberOrNull(): Int? = 1

    @Locked(name = "x", waitFor = "0", onBusy = OnBusy.FALLBACK, fallback = "instead")
    open suspend fun fallBack(): String = "locked"

    open suspend fun instead(): String {
      yield()
      return "instead"
    }
  }

  open class Refused {
    @Locked("x")
    open fun work(): Job = Job()
  }

  @BeforeAll
  fun start() {
    context = Contexts.local(listOf(Coroutines::class.java))
    client = context.getBean(LockClient::class.java)
    coroutines = context.getBean(Coroutines::class.java)
  }

  @AfterAll
  fun stop() = context.close()

  private fun isFree() = client.inspect("x").isEmpty

  @Test
  fun a_suspend_function_holds_the_lock_until_it_has_ended_and_finds_its_lease() {
    val input = CompletableDeferred<String>()
    val result = inBackground { coroutines.work(input) }
    await().until { !isFree() }
    assertThat(result).isNotDone()
    input.complete("done")
    assertThat(result.get(5, TimeUnit.SECONDS)).isEqualTo("done true true")
    await().until(::isFree)
  }

  @Test
  fun a_deferred_holds_the_lock_until_it_is_complete() {
    val input = CompletableDeferred<String>()
    val result = coroutines.deferred(input)
    await().until { !isFree() }
    assertThat(result.isCompleted).isFalse()
    input.complete("done")
    assertThat(runBlocking { result.await() }).isEqualTo("done true")
    await().until(::isFree)
  }

  @Test
  fun a_flow_holds_the_lock_while_it_is_collected() {
    for (collect in
      listOf<suspend (Deferred<String>) -> List<Boolean>>(
        { coroutines.flow(it).toList() },
        { coroutines.suspendedFlow(it).toList() },
      )) {
      val input = CompletableDeferred<String>()
      val result = inBackground { collect(input) }
      await().until { !isFree() }
      assertThat(result).isNotDone()
      input.complete("")
      assertThat(result.get(5, TimeUnit.SECONDS)).containsExactly(true, true)
      await().until(::isFree)
    }
  }

  @Test
  fun a_coroutine_that_fails_or_is_cancelled_frees_its_lock() {
    val failure = CompletableDeferred<String>()
    failure.completeExceptionally(IllegalArgumentException("as planned"))
    assertThatThrownBy { runBlocking { coroutines.work(failure) } }
      .isInstanceOf(IllegalArgumentException::class.java)
    await().until(::isFree)
    runBlocking {
      val work = launch { coroutines.work(CompletableDeferred()) }
      while (isFree()) {
        yield()
      }
      work.cancelAndJoin()
    }
    await().until(::isFree)
  }

  @Test
  fun a_coroutine_whose_lock_is_busy_fails_is_skipped_or_falls_back() {
    val other = client.tryAcquire(LockRequest.of("x")).orElseThrow()
    val input = CompletableDeferred("")
    for (call in
      listOf<suspend () -> Any>(
        { coroutines.work(input) },
        { coroutines.flow(input).toList() },
        { coroutines.suspendedFlow(input).toList() },
      )) {
      assertThatThrownBy { runBlocking { call() } }.isInstanceOf(LockTimeoutException::class.java)
    }
    assertThat(runBlocking { coroutines.skipped() }).isEmpty()
    assertThat(runBlocking { coroutines.fallBack() }).isEqualTo("instead")
    other.release()
    assertThat(runBlocking { coroutines.skipped() }).containsExactly("done")
    await().until(::isFree)
    assertThat(runBlocking { coroutines.fallBack() }).isEqualTo("locked")
    await().until(::isFree)
  }

  /** The JVM knows what a suspend function gives as an object only. */
  @Test
  fun a_coroutine_that_is_skipped_gives_the_default_of_a_primitive() {
    val other = client.tryAcquire(LockRequest.of("x")).orElseThrow()
    assertThat(runBlocking { coroutines.number() }).isZero()
    assertThat(runBlocking { coroutines.flag() }).isFalse()
    assertThat(runBlocking { coroutines.numberOrNull() }).isNull()
    other.release()
    assertThat(runBlocking { coroutines.number() }).isEqualTo(1)
    await().until(::isFree)
  }

  @Test
  fun a_job_is_refused_at_start() {
    ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration::class.java))
      .withPropertyValues("interlock.uri=local://")
      .withBean(Refused::class.java)
      .run { context ->
        assertThat(context.startupFailure)
          .rootCause()
          .hasMessageContaining("it returns a Job, for whose end a lock cannot be held")
      }
  }

  /** On a thread of its own, as the test waits on this one. */
  private fun <T> inBackground(work: suspend () -> T): CompletableFuture<T> =
    CompletableFuture.supplyAsync({ runBlocking { work() } }, Contexts.THREADS)
}
