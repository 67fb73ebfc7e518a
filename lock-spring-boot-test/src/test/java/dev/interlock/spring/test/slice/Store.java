package dev.interlock.spring.test.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A whole application, of which a slice is tested. */
@SpringBootApplication
class Store {}
